/** A function with the form of `fetch`. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>
