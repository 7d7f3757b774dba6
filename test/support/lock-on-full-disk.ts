/** Takes a lock whose file cannot be written, and gives it back: `node lock-on-full-disk.js FILE`, below `ulimit -f 1`. */
import { KernelLock } from '../../embedded/kernel-lock.ts';

const lock = new KernelLock(process.argv[2] ?? '');
process.stdout.write(`taken: ${String(lock.tryExclusive())}\n`);
lock.close();
process.stdout.write('given back\n');
