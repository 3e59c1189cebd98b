/**
 * What people say for what columns are called, in the form that words are compared in.
 *
 * Only looked at where no column has the words themselves, so a table with a column "rain" is not in the way.
 */
export const SYNONYMS: readonly (readonly [said: string, meant: string])[] = [
  ['hp', 'horsepower'],
  ['bhp', 'horsepower'],
  ['power', 'horsepower'],
  ['mpg', 'mile per gallon'],
  ['mileage', 'mile per gallon'],
  ['fuel economy', 'mile per gallon'],
  ['fuel efficiency', 'mile per gallon'],
  ['economy', 'mile per gallon'],
  ['engine size', 'displacement'],
  ['heaviness', 'weight'],
  ['mass', 'weight'],
  ['weight', 'mass'],
  ['max', 'maximum'],
  ['maximum', 'max'],
  ['highest', 'max'],
  ['high', 'max'],
  ['min', 'minimum'],
  ['minimum', 'min'],
  ['lowest', 'min'],
  ['low', 'min'],
  ['avg', 'average'],
  ['temperature', 'temp'],
  ['temp', 'temperature'],
  ['rain', 'precipitation'],
  ['rainfall', 'precipitation'],
  ['wind speed', 'wind'],
  ['bill', 'beak'],
  ['beak', 'bill'],
  ['gender', 'sex'],
  ['sex', 'gender'],
  ['country', 'origin'],
  ['region', 'origin'],
  ['cost', 'price'],
  ['price', 'cost'],
  ['amount', 'value'],
  ['revenue', 'sale'],
  ['turnover', 'revenue'],
  ['earning', 'income'],
  ['lb', 'pound'],
  ['life expectancy', 'life expect'],
  ['population', 'pop'],
]

/** A word that names an end of a scale: which column it is about, and which end. */
export interface Superlative {
  readonly columns: readonly string[]
  readonly end: 'max' | 'min'
}

/** "The heaviest car" is the one with the most weight. Looked at only where the table has such a column. */
export const SUPERLATIVES: Readonly<Record<string, Superlative>> = {
  heaviest: { columns: ['weight', 'mass'], end: 'max' },
  lightest: { columns: ['weight', 'mass'], end: 'min' },
  hottest: { columns: ['temp max', 'temperature', 'temp'], end: 'max' },
  warmest: { columns: ['temp max', 'temperature', 'temp'], end: 'max' },
  coldest: { columns: ['temp min', 'temperature', 'temp'], end: 'min' },
  coolest: { columns: ['temp min', 'temperature', 'temp'], end: 'min' },
  wettest: { columns: ['precipitation', 'rain'], end: 'max' },
  rainiest: { columns: ['precipitation', 'rain'], end: 'max' },
  windiest: { columns: ['wind'], end: 'max' },
  strongest: { columns: ['horsepower', 'power'], end: 'max' },
  weakest: { columns: ['horsepower', 'power'], end: 'min' },
  longest: { columns: ['length', 'duration'], end: 'max' },
  shortest: { columns: ['length', 'duration'], end: 'min' },
  oldest: { columns: ['year', 'date'], end: 'min' },
  earliest: { columns: ['date', 'year'], end: 'min' },
  newest: { columns: ['date', 'year'], end: 'max' },
  latest: { columns: ['date', 'year'], end: 'max' },
  cheapest: { columns: ['price', 'cost'], end: 'min' },
  richest: { columns: ['income', 'revenue'], end: 'max' },
  thriftiest: { columns: ['mile per gallon'], end: 'max' },
}
