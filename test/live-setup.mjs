import { pathToFileURL } from 'node:url';
import compile from './compile.mjs';
import { compiledOf } from './compiled.mjs';

/** Finds the Temporal server once for all live tests, which may take a while on a machine that has none yet. */
export default async function setUpLive() {
  await compile();
  const { findServer } = await import(pathToFileURL(compiledOf('embedded/find-server.ts')).href);
  const { path } = await findServer({ env: process.env, say: (line) => console.error(line) });
  process.env['VOXBATCH_TEMPORAL_CLI'] = path;
}
