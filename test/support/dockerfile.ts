import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

/** What an image is told to run: from the last stage of its Dockerfile. Paths are those in the image. */
export interface Image {
  /** Folder that stands for the image's root. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly workdir: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly volumes: readonly string[];
}

/** A stage of the build. */
interface Stage {
  readonly root: string;
  workdir: string;
  env: Record<string, string>;
  user: string;
  entrypoint: readonly string[];
  command: readonly string[];
  volumes: string[];
}

/**
 * Does step by step in folders what a Dockerfile does in images: no container engine is needed. Absolute paths of the image stand
 * for paths below a folder. `npm ci` takes the modules that are installed here. Throws for an instruction that it does not know.
 *
 * @param context the files that the build is given, by path
 */
export function buildImage(path: string, folder: string, repository: string, context: readonly string[]): Image {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const line of instructionsOf(readFileSync(path, 'utf8'))) {
    const [word = '', ...rest] = line.split(/\s+/);
    const text = line.slice(word.length).trim();
    if (word === 'FROM') {
      const name = rest[1] === 'AS' ? (rest[2] ?? '') : `stage-${String(stages.size)}`;
      stage = newStage(join(folder, name));
      stages.set(name, stage);
      continue;
    }
    if (stage === undefined) throw new Error(`${line}: before the first FROM.`);
    switch (word) {
      case 'WORKDIR':
        stage.workdir = text;
        mkdirSync(join(stage.root, text), { recursive: true });
        break;
      case 'COPY':
        copy(rest, stage, stages, repository, context);
        break;
      case 'RUN':
        run(text, stage, repository);
        break;
      case 'ENV':
        for (const word of rest) stage.env[word.slice(0, word.indexOf('='))] = word.slice(word.indexOf('=') + 1);
        break;
      case 'USER':
        stage.user = text;
        break;
      case 'VOLUME':
        stage.volumes.push(text);
        break;
      case 'ENTRYPOINT':
        stage.entrypoint = JSON.parse(text) as readonly string[];
        break;
      case 'CMD':
        stage.command = JSON.parse(text) as readonly string[];
        break;
      default:
        throw new Error(`${line}: this instruction is not known here.`);
    }
  }
  if (stage === undefined) throw new Error(`${path} has no stage.`);
  return stage;
}

function instructionsOf(text: string): readonly string[] {
  const lines = text.replaceAll(/\\\n/g, ' ').split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

function newStage(root: string): Stage {
  mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
  return { root, workdir: '/', env: {}, user: 'root', entrypoint: [], command: [], volumes: [] };
}

function copy(
  words: readonly string[],
  to: Stage,
  stages: ReadonlyMap<string, Stage>,
  repository: string,
  context: readonly string[],
): void {
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
  const paths = words.filter((word) => !word.startsWith('--'));
  const target = paths.at(-1) ?? '';
  const inTarget = (path: string): string =>
    join(to.root, isAbsolute(target) ? target : join(to.workdir, target), path);
  for (const source of paths.slice(0, -1)) {
    if (from !== undefined) {
      // An image of somebody else, which is not here.
      if (from.includes(':')) continue;
      const other = stages.get(from);
      if (other === undefined) throw new Error(`There is no stage ${from}.`);
      cpSync(join(other.root, source), inTarget(''), { recursive: true, verbatimSymlinks: true });
    } else if (source === '.') for (const file of context) copyFile(join(repository, file), inTarget(file));
    else copyFile(join(repository, source), inTarget(source));
  }
}

function copyFile(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}

function run(command: string, { root, workdir }: Stage, repository: string): void {
  const cwd = join(root, workdir);
  if (command.startsWith('npm ci')) {
    symlinkSync(
      statSync(join(repository, 'node_modules')).isDirectory() ? join(repository, 'node_modules') : '',
      join(cwd, 'node_modules'),
    );
    return;
  }
  // Nothing here may be owned by another user than ours.
  const here = command
    .split('&&')
    .map((one) => one.trim())
    .filter((one) => !one.startsWith('chown '))
    .join(' && ')
    .replaceAll(/(?<=^|\s)\/(?=\S)/g, `${root}/`);
  execFileSync('sh', ['-c', here], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
