/**
 * `npm run chaos -- [SCENARIO]`: breaks what voxbatch rests on, and checks its promises afterwards. Ends with 0 if all hold, with 1
 * and a list of what broke, with the command to replay it, if not.
 */
import { faults } from './faults.ts';
import { tellFindings, type Finding } from './finding.ts';
import { readOptions, replayCommand, type ChaosOptions, type Scenario } from './options.ts';
import { powerCut } from './power-cut.ts';
import { storm } from './storm.ts';
import { verify } from './verify.ts';

type Run = (options: ChaosOptions, say: (line: string) => void) => Promise<Finding[]>;

const RUNS: Readonly<Record<Scenario, Run>> = {
  storm,
  faults,
  'power-cut': powerCut,
  verify,
};

const begun = performance.now();
function say(line: string): void {
  process.stdout.write(`${((performance.now() - begun) / 1000).toFixed(1).padStart(7)}  ${line}\n`);
}

const argv = process.argv.slice(2);
const options = readOptions(argv);
say(`${options.scenario}, seed ${options.seed}`);
const findings = await RUNS[options.scenario](options, say);
for (const line of tellFindings(findings)) say(line);
if (findings.some(({ broken }) => broken.length > 0)) {
  say(`Replay: ${replayCommand(options, argv)}`);
  process.exitCode = 1;
}
