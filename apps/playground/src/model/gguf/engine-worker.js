// Stands for the engine's own worker: what runs in its place is put together by `own-origin-engine.ts`.
throw new Error('This page was built without own-origin-engine.ts.')
