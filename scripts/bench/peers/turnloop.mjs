import { ownModel, turnloopAgent, turnOf } from '../lib/turnloop-parts.mjs'

/** Turnloop with a model of its own interface. */
export default {
  name: 'turnloop',
  prepare: (options) => turnOf(turnloopAgent(ownModel(options.steps, options.probe), options), options),
}
