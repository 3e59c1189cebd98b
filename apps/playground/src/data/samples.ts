/** The data sets that ship with the playground. */
export type SampleId = 'cars' | 'weather' | 'penguins'

/** A data set that ships: what a person sees before it is loaded. */
export interface Sample {
  readonly id: SampleId
  readonly label: string
  readonly description: string
  readonly rowCount: number
  /** Questions that it answers well; the first is the best to begin with. */
  readonly examples: readonly string[]
}

/** What ships: real data from the package vega-datasets, fetched only when chosen. */
export const SAMPLES: readonly Sample[] = [
  {
    id: 'cars',
    label: 'Cars',
    description:
      'Power, weight and fuel economy of 406 cars, 1970 to 1982. Source: StatLib, Carnegie Mellon University.',
    rowCount: 406,
    examples: [
      'Average horsepower by origin, and chart it',
      'Describe the cars',
      'Correlation of weight and miles per gallon',
    ],
  },
  {
    id: 'weather',
    label: 'Seattle weather',
    description: 'Rain, temperature and wind in Seattle, every day from 2012 to 2015. Source: NOAA.',
    rowCount: 1461,
    examples: [
      'Average maximum temperature by month, and chart it',
      'How many days by weather?',
      'Top 5 days by precipitation',
    ],
  },
  {
    id: 'penguins',
    label: 'Penguins',
    description: 'Measurements of 344 penguins of three species. Source: Palmer Station LTER, Kristen Gorman.',
    rowCount: 344,
    examples: [
      'Compare body mass and flipper length by species',
      'Plot flipper length by body mass',
      'Share of penguins by island',
    ],
  },
]
