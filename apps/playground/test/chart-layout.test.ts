import { describe, expect, it } from 'vitest'
import { axisLabel, chartLayout } from '../src/chat/chart/chart-layout.ts'
import type { ChartAnswer } from '../src/tools/answers.ts'

function bars(names: readonly string[], series: readonly string[] = []): ChartAnswer {
  const rows = names.flatMap((name) =>
    series.length === 0 ? [{ name, value: 1 }] : series.map((kind) => ({ name, kind, value: 1 })),
  )
  return {
    kind: 'bar',
    title: 'A chart',
    x: { column: 'name', label: 'Name', type: 'text' },
    y: { column: 'value', label: 'Value', type: 'number' },
    ...(series.length > 0 && { color: { column: 'kind', label: 'Kind', type: 'text' } as const }),
    rows,
    rowCount: rows.length,
  }
}

describe('chartLayout', () => {
  it('keeps names in the order of the rows', () => {
    expect(chartLayout(bars(['b', 'a', 'c'])).names).toEqual(['b', 'a', 'c'])
  })

  it('lays bars on their side when names are many or long', () => {
    const many = Array.from({ length: 12 }, (_, index) => `name ${index}`)

    expect(chartLayout(bars(['USA', 'Japan'])).isSideways).toBe(false)
    expect(chartLayout(bars(many)).isSideways).toBe(true)
    expect(chartLayout(bars(['Chevrolet Chevelle Malibu'])).isSideways).toBe(true)
  })

  it('has no series when the colour only repeats the names', () => {
    const repeated = { ...bars(['USA']), color: { column: 'name', label: 'Name', type: 'text' } as const }

    expect(chartLayout(repeated).series).toEqual([])
    expect(chartLayout(bars(['USA'], ['old', 'new'])).series).toEqual(['old', 'new'])
  })
})

describe('axisLabel', () => {
  it('names the unit once', () => {
    expect(axisLabel({ label: 'Power', unit: 'hp' })).toBe('Power (hp)')
    expect(axisLabel({ label: 'Power (hp)', unit: 'hp' })).toBe('Power (hp)')
    expect(axisLabel({ label: 'Origin' })).toBe('Origin')
  })
})
