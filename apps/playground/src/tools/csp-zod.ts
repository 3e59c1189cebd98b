import { z } from 'zod'

// zod makes faster checkers with `new Function`, and tries it even where the page's policy forbids it, which the browser
// then reports as an error.
z.config({ jitless: true })

export { z }
