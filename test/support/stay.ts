/** A process that does nothing until it is killed. */
setInterval(() => undefined, 60_000);
