/**
 * The compiled command line, in a process that dies or stands still at a fault point of a paid request or download, as its parent
 * says: `{ moment, nth, signal }` over the IPC channel means the n-th time from now, and `{}` takes that back. Without a word from the
 * parent it is the command line as it is. `CHAOS_MAIN` is the URL of its `starters/main.js`.
 */
const { main } = await import(process.env.CHAOS_MAIN);
let armed;

process.on('message', (message) => {
  armed = message;
});
// Listening must not keep a command alive that has ended.
process.channel?.unref();

async function atFaultPoint(now) {
  if (now !== armed?.moment || --armed.nth > 0) return;
  const { signal } = armed;
  armed = undefined;
  process.kill(process.pid, signal);
  if (signal === 'SIGKILL') await new Promise(() => undefined);
}

process.exitCode = await main(process.argv.slice(2), { atFaultPoint });
