import { pii } from '@turnloop/guardrails'
import { test } from 'vitest'
import { checkText } from './check-text.ts'
test('rates', async () => {
  let seed = 12345; const rnd = (n: number) => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor((seed / 2147483648) * n) }
  const num = (d: number) => Array.from({ length: d }, () => rnd(10)).join('')
  const kinds: Record<string, () => string> = {
    'rows of 6 numbers 0-9999': () => Array.from({ length: 6 }, () => rnd(10000)).join(' '),
    'tab rows of 8 numbers 0-999999': () => Array.from({ length: 8 }, () => rnd(1000000)).join('\t'),
    'csv rows': () => Array.from({ length: 8 }, () => rnd(1000000)).join(','),
    '9 digits': () => num(9), '11 digits': () => num(11), '16 digits': () => num(16), '18 digits': () => num(18), '19 digit snowflakes': () => '1' + num(18),
    'rows of decimals': () => Array.from({ length: 6 }, () => (rnd(1e6) / 100).toFixed(2)).join(' '),
    'dash ids 3-3-4': () => `${num(3)}-${num(3)}-${num(4)}`,
    'base64 40': () => Array.from({ length: 40 }, () => 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'[rnd(64)]).join(''),
  }
  for (const [k, f] of Object.entries(kinds)) { let n = 0; for (let i = 0; i < 3000; i++) if (await checkText(pii(), f())) n++; console.log(k, ((n / 3000) * 100).toFixed(2) + '%') }
})
