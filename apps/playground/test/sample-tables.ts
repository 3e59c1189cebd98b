import type { TableInfo } from '../src/data/table-info.ts'

/** The tables that ship, as the library describes them. */
export const cars: TableInfo = {
  name: 'cars',
  label: 'Cars',
  source: 'sample',
  sampleId: 'cars',
  rowCount: 406,
  columns: [
    { name: 'Name', type: 'text' },
    { name: 'Miles_per_Gallon', type: 'number', unit: 'mpg' },
    { name: 'Cylinders', type: 'number' },
    { name: 'Displacement', type: 'number', unit: 'cu in' },
    { name: 'Horsepower', type: 'number', unit: 'hp' },
    { name: 'Weight_in_lbs', type: 'number', unit: 'lb' },
    { name: 'Acceleration', type: 'number', unit: 's' },
    { name: 'Year', type: 'date' },
    { name: 'Origin', type: 'text' },
  ],
}

export const weather: TableInfo = {
  name: 'weather',
  label: 'Seattle weather',
  source: 'sample',
  sampleId: 'weather',
  rowCount: 1461,
  columns: [
    { name: 'date', type: 'date' },
    { name: 'precipitation', type: 'number', unit: 'mm' },
    { name: 'temp_max', type: 'number', unit: '°C' },
    { name: 'temp_min', type: 'number', unit: '°C' },
    { name: 'wind', type: 'number', unit: 'm/s' },
    { name: 'weather', type: 'text' },
  ],
}

export const penguins: TableInfo = {
  name: 'penguins',
  label: 'Penguins',
  source: 'sample',
  sampleId: 'penguins',
  rowCount: 344,
  columns: [
    { name: 'Species', type: 'text' },
    { name: 'Island', type: 'text' },
    { name: 'Beak Length (mm)', type: 'number', unit: 'mm' },
    { name: 'Beak Depth (mm)', type: 'number', unit: 'mm' },
    { name: 'Flipper Length (mm)', type: 'number', unit: 'mm' },
    { name: 'Body Mass (g)', type: 'number', unit: 'g' },
    { name: 'Sex', type: 'text' },
  ],
}

export const sampleTables: readonly TableInfo[] = [cars, weather, penguins]
