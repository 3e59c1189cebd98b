/** The longest that a timer can wait: platforms keep it in 32 bits, and fire a longer one at once. */
export const LONGEST_DELAY_MS: number = 2 ** 31 - 1
