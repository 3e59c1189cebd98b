import carsUrl from '../../../../node_modules/vega-datasets/data/cars.json?url'
import penguinsUrl from '../../../../node_modules/vega-datasets/data/penguins.json?url'
import weatherUrl from '../../../../node_modules/vega-datasets/data/seattle-weather.csv?url'
import type { SampleId } from './samples.ts'

/** Where a data set that ships is fetched from, and what its file does not say. */
export interface SampleFile {
  readonly url: string
  readonly fileName: string
  /** By column. Units in the column names themselves are found without this. */
  readonly units: Readonly<Record<string, string>>
}

/** The files of the data sets. Only their addresses are in the page; their content is fetched when one is chosen. */
export const SAMPLE_FILES: Readonly<Record<SampleId, SampleFile>> = {
  cars: {
    url: carsUrl,
    fileName: 'cars.json',
    units: {
      Miles_per_Gallon: 'mpg',
      Displacement: 'cu in',
      Horsepower: 'hp',
      Weight_in_lbs: 'lb',
      Acceleration: 's',
    },
  },
  weather: {
    url: weatherUrl,
    fileName: 'weather.csv',
    units: { precipitation: 'mm', temp_max: '°C', temp_min: '°C', wind: 'm/s' },
  },
  penguins: { url: penguinsUrl, fileName: 'penguins.json', units: {} },
}
