/** Loaded before a process's own code: its wall clock is off by `SHIFT_CLOCK_MS`, as that of a host whose clock is wrong. */
const offMs = Number(process.env['SHIFT_CLOCK_MS']);
const System = Date;
const now = () => System.now() + offMs;

globalThis.Date = new Proxy(System, {
  construct: (target, given, as) => Reflect.construct(target, given.length === 0 ? [now()] : given, as),
  apply: () => new System(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
