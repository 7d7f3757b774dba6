import Environment from './environment.mjs';
import { skipIfTooLate } from './start-until.mjs';

/** Commands whose words are shown, and characters of each: the last ones. */
const SHOWN = 6;
const WORDS_SHOWN = 1_500;

/** Where Jest looks for the limit of a test. */
const LIMIT = Symbol.for('TEST_TIMEOUT_SYMBOL');
/**
 * The limit of a live test, ms, for one that hangs: the slowest takes a minute where nothing else runs, and many times as long on a slow
 * machine with much else to do. (`testTimeout` holds for all projects or none.)
 */
const LIMIT_MS = 900_000;
/** How long `waitFor` waits in a live test, ms. */
const PATIENCE_MS = 240_000;

/**
 * Gives live tests more time, and adds to the error of a live test what its last commands said: a test compares exit codes, and they alone tell nobody why. A command is
 * noted by `LiveWorld`, in `voxbatchCommands` of the test's globals. Skips a whole file if it is too late to start it.
 */
export default class LiveEnvironment extends Environment {
  #testPath;

  constructor(config, context) {
    super(config, context);
    this.#testPath = context.testPath;
  }

  async setup() {
    await super.setup();
    Object.assign(this.global, { [LIMIT]: LIMIT_MS, voxbatchPatienceMs: PATIENCE_MS });
  }

  async teardown() {
    delete this.global.voxbatchPatienceMs;
    delete this.global.voxbatchCommands;
    await super.teardown();
  }

  handleTestEvent(event, state) {
    const { name, error } = event;
    skipIfTooLate(this.#testPath, event, state);
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    if (typeof error?.stack !== 'string') return;
    const words = (this.global.voxbatchCommands ?? []).slice(-SHOWN).map(inWords).join('');
    // Jest takes what comes before the first line of the trace for the message.
    const at = error.stack.search(/\n[^\S\n]+at /);
    error.stack = at < 0 ? error.stack + words : error.stack.slice(0, at) + words + error.stack.slice(at);
  }
}

function inWords({ args, code, signal, stderr }) {
  const end = code === undefined ? 'is running' : `ended with ${String(code ?? signal)}`;
  const said = stderr.trim().slice(-WORDS_SHOWN).replaceAll(/^/gm, '  | ');
  return `\n\nvoxbatch ${args.join(' ')} ${end} and said:\n${said}`;
}
