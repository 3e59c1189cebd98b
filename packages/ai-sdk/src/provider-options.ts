import type { ModelSettings } from '@turnloop/core'

type ProviderOptions = NonNullable<ModelSettings['providerOptions']>

/** Options by provider name, joined key by key; the later ones go before. */
export function joinOptions(first: ProviderOptions = {}, second: ProviderOptions = {}): ProviderOptions {
  const joined = { ...first }
  for (const [provider, options] of Object.entries(second)) {
    joined[provider] = { ...joined[provider], ...options }
  }
  return joined
}
