/** `npm run loaded`: lowers what commands may load (`loaded-files.txt`) to what they load now. It never raises it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import compile from '../compile.mjs';
import { complaintAbout, countLoaded, type Counted, readList, writeList } from './loaded-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'voxbatch-loaded-'));
try {
  await compile();
  const [loaded, listed] = [await countLoaded(folder), readList()];
  const names = Object.keys(loaded) as Counted[];
  const complaints = names.flatMap((name) => complaintAbout(name, loaded[name], listed[name]) ?? []);
  if (complaints.length === 0) writeList(loaded);
  else process.exitCode = 1;
  for (const line of complaints) console.error(line);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
