/** Sends itself what a closed terminal sends, and tells that it lives on. */
import { surviveClosedTerminal } from '../../starters/terminal/output.ts';

surviveClosedTerminal();
process.kill(process.pid, 'SIGHUP');
process.stdout.write('goes on\n');
