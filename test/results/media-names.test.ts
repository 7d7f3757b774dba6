import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { join, resolve, sep } from 'node:path';
import { mediaName, UnfitName } from '../../results/media-names.ts';
import type { NameFacts } from '../../results/media-names.ts';

const facts: NameFacts = {
  id: 'a7',
  row: 7,
  spec: { kind: 'tts', text: 'Hello', speed: 1.5, extra: {} },
  extension: 'mp3',
  columns: ['name', 'script'],
  input: ['intro', 'Hello '],
};

describe('mediaName', () => {
  it.each([
    ['{id}.{ext}', 'a7.mp3'],
    ['{row}-{kind}-{name}.{ext}', '7-tts-intro.mp3'],
    ['{kind}/{id}.{ext}', 'tts/a7.mp3'],
    ['{id}.wav.{ext}', 'a7.wav.mp3'],
    ['{script}.{ext}', 'Hello .mp3'],
    ['{text}-{speed}.{ext}', 'Hello-1.5.mp3'],
  ])('makes %s into %s', (template, name) => expect(mediaName(template, facts)).toBe(name));

  it('takes a field in a cell for plain text', () => {
    expect(mediaName('{id}.{ext}', { ...facts, id: '{row}$&{ext}' })).toBe('{row}$&{ext}.mp3');
  });

  it.each(['', '../x', '/etc/x', 'a/../../x', 'a//b', './x', 'a\\b', 'a\nb', 'a\0b', 'x'.repeat(300)])(
    'refuses the id %j',
    (id) => {
      expect(() => mediaName('{id}/file.{ext}', { ...facts, id })).toThrow(UnfitName);
    },
  );

  it.each(['{id}', '{id}.mp3', '{ext}', '{ext}/{id}.{ext}', '{id.{ext}', '.{ext}'])(
    'refuses the template %s, whoever put it on record',
    (template) => {
      expect(() => mediaName(template, { ...facts, id: '.bashrc' })).toThrow(UnfitName);
    },
  );

  it.each(['', 'bashrc ', '../x', 'mp3/x', 'MP3'])('refuses the extension %j', (extension) => {
    expect(() => mediaName('{id}.{ext}', { ...facts, extension })).toThrow(UnfitName);
  });

  it('never makes a name of an extension alone', () => {
    expect(() => mediaName('{id}.{ext}', { ...facts, id: '', extension: 'bashrc' })).toThrow(UnfitName);
    expect(mediaName('{id}.{ext}', { ...facts, id: '.bashrc' })).toBe('.bashrc.mp3');
  });

  it('never leaves its folder', () => {
    const part = fc.string({ unit: fc.constantFrom('.', '/', '\\', 'a', '\0', '~', ':') });
    fc.assert(
      fc.property(part, part, (id, text) => {
        let name: string;
        try {
          name = mediaName('{id}{script}.{ext}', { ...facts, id, input: ['', text] });
        } catch (error) {
          expect(error).toBeInstanceOf(UnfitName);
          return;
        }
        const folder = resolve('/out/media');
        expect(join(folder, name).startsWith(folder + sep)).toBe(true);
      }),
    );
  });
});
