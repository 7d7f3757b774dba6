import { readFileSync } from 'node:fs';
import { readdir, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { saveSchemaSnapshot, readSchemaSnapshots } from '../../embedded/schema-snapshots.ts';
import { folderForEach } from '../support/fresh-folder.ts';

const API = 'https://api.example/api/open/v1';
const LOOK = { seenAt: 1, endpoints: { 'GET /profile': { path: 'digest' } } };

const folder = folderForEach();

describe('the last looks at the schemas of APIs', () => {
  it('are kept by address, and leave nothing else in the home', async () => {
    const file = folder('api-schemas.json');
    await saveSchemaSnapshot(file, API, LOOK);
    await saveSchemaSnapshot(file, `${API}/other`, LOOK);
    expect(await readSchemaSnapshots(file)).toEqual({ [API]: LOOK, [`${API}/other`]: LOOK });
    expect(await readdir(folder())).toEqual(['api-schemas.json']);
  });

  it('are written through no link that came with the home, under any name of a process', async () => {
    const file = folder('api-schemas.json');
    const mine = folder('mine');
    await writeFile(mine, 'mine');
    for (const name of [file, `${file}.${String(process.pid)}.part`]) await symlink(mine, name);
    await saveSchemaSnapshot(file, API, LOOK);
    expect(readFileSync(mine, 'utf8')).toBe('mine');
    expect(await readSchemaSnapshots(file)).toEqual({ [API]: LOOK });
  });
});
