import fc from 'fast-check'

// In CI every run plays the same cases, so that a red one tells of the change it came with. Elsewhere each run plays others.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1_764_460_800 })
