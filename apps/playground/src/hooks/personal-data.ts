import type { Guardrail } from '@turnloop/core'
import { pii } from '@turnloop/guardrails'
import type { CheckSettings } from '../settings/check-settings.ts'

/** Keeps e-mail addresses, phone, card and bank numbers in questions from the model and from the log. */
export function personalData(onFound: CheckSettings['onPersonalData']): Guardrail {
  return pii({ name: 'personal data', phases: ['input'], mode: onFound === 'mask' ? 'label' : 'block' })
}
