import Environment from './environment.mjs';

/** Commands whose words are shown, and characters of each: the last ones. */
const SHOWN = 6;
const WORDS_SHOWN = 1_500;

/**
 * Adds to the error of a live test what its last commands said: a test compares exit codes, and they alone tell nobody why. A command is
 * noted by `LiveWorld`, in `voxbatchCommands` of the test's globals.
 */
export default class LiveEnvironment extends Environment {
  handleTestEvent({ name, error }) {
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
