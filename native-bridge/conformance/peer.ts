/**
 * A peer process of the conformance tests: makes exactly the driver calls it is told to and reports their results.
 * Argument 1: path of the driver library.
 */
import type { Answer, Request } from './protocol';
import { serve } from './serve';

const library = process.argv[2];
if (library === undefined || process.send === undefined) throw new Error('start this with fork and a library');
const send = process.send.bind(process);
const answer = serve(library);

process.on('message', (request: Request) => send(answer(request)));
process.on('disconnect', () => process.exit(1));
send({ id: 0, result: undefined, value: process.pid } satisfies Answer);
