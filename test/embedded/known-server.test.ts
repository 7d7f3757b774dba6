import { beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readKnownServer, saveKnownServer } from '../../embedded/find-server.ts';
import { folderForEach } from '../support/fresh-folder.ts';

const folder = folderForEach();
const notes = (): string => folder('cache', 'known-server.json');
const path = (): string => folder('temporal');

beforeEach(() => {
  writeFileSync(path(), '\u007fELF one');
});

describe('a server that answered before', () => {
  it('is known by its path, as long as it is the same file', () => {
    const binary = { path: path(), version: '1.29.1' };
    expect(readKnownServer(notes(), path())).toBeUndefined();
    saveKnownServer(notes(), binary);
    expect(readKnownServer(notes(), path())).toEqual(binary);
    expect(readKnownServer(notes(), folder('another'))).toBeUndefined();
  });

  it('is asked again when its content has changed, also to one of the same size and time', () => {
    utimesSync(path(), 1, 1);
    saveKnownServer(notes(), { path: path(), version: '1.29.1' });
    rmSync(path());
    writeFileSync(path(), '\u007fELF two');
    utimesSync(path(), 1, 1);
    expect(readKnownServer(notes(), path())).toBeUndefined();
  });

  it('is asked again when its link leads elsewhere', () => {
    const link = folder('link');
    symlinkSync(path(), link);
    saveKnownServer(notes(), { path: link, version: '1.29.1' });
    expect(readKnownServer(notes(), link)).toMatchObject({ version: '1.29.1' });
    writeFileSync(folder('newer'), '\u007fELF newer');
    rmSync(link);
    symlinkSync(folder('newer'), link);
    expect(readKnownServer(notes(), link)).toBeUndefined();
  });

  it('is asked each time if it is a script, which may start another one tomorrow', () => {
    writeFileSync(path(), '#!/bin/sh\nexec /opt/temporal "$@"\n');
    saveKnownServer(notes(), { path: path(), version: '1.29.1' });
    expect(existsSync(notes())).toBe(false);
  });

  it('is asked again where the note is not ours or cannot be kept', () => {
    saveKnownServer(notes(), { path: path(), version: '1.29.1' });
    writeFileSync(notes(), '{"path":1}');
    expect(readKnownServer(notes(), path())).toBeUndefined();
    saveKnownServer(join(path(), 'no-folder', 'note'), { path: path(), version: '1.29.1' });
    expect(readKnownServer(join(path(), 'no-folder', 'note'), path())).toBeUndefined();
  });
});
