import { fileURLToPath } from 'node:url'

/** This folder, with a slash at its end. */
export const bench = fileURLToPath(new URL('../', import.meta.url))
