import { ModelError } from '@turnloop/core'

const MAGIC = 'GGUF'
const VERSIONS: ReadonlySet<number> = new Set([2, 3])
const ONE_OF_SEVERAL = /-\d{5}-of-(?!00001)\d{5}\.gguf$/i

/** Look at the first bytes of a file. Throws `bad-option` in words for one that no engine could load. */
export async function checkGguf(file: File): Promise<void> {
  const head = await file.slice(0, 8).arrayBuffer()
  const magic = String.fromCharCode(...new Uint8Array(head.slice(0, 4)))
  if (head.byteLength < 8 || magic !== MAGIC)
    throw refusal(`“${file.name}” is not a GGUF file. Such files hold a language model and usually end in .gguf.`)
  const version = new DataView(head).getUint32(4, true)
  if (!VERSIONS.has(version))
    throw refusal(`“${file.name}” is a GGUF file of version ${version}, which this engine does not know.`)
  if (ONE_OF_SEVERAL.test(file.name))
    throw refusal(
      `“${file.name}” is one part of a model that was split. Join the parts (llama-gguf-split --merge) and open the whole.`,
    )
}

function refusal(message: string): ModelError {
  return new ModelError('bad-option', message)
}
