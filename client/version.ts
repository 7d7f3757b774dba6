import { existsSync, readFileSync } from 'node:fs';

/** The version in package.json, which is one folder above this file in the sources and two above when compiled. */
export function voxbatchVersion(): string {
  for (const up of ['../package.json', '../../package.json']) {
    const file = new URL(up, import.meta.url);
    if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  }
  return 'unknown';
}
