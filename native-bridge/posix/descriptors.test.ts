/** Descriptors between processes that share nothing else, and what is left open afterwards. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildNative } from '../../scripts/native-build.mjs';
import { bundle } from '../conformance/bundle';
import { killPeers, Peer } from '../conformance/peer-client';
import { DescriptorChannel, DescriptorListener } from './descriptor-channel';
import { copyForeignDescriptor } from './foreign-descriptors';
import { closeDescriptor, duplicate, isOpen, PosixError } from './libc';
import { MOST_BYTES, MOST_DESCRIPTORS } from './messages';

const onLinux = process.platform === 'linux';
const hasPython = onLinux && hasSendFds();
const nameOf = (what: string) => `gpu-ipc-test-${what}-${process.pid}`;
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
const bytesOf = (words: string) => new TextEncoder().encode(words);

function hasSendFds(): boolean {
  try {
    execFileSync('python3', ['-c', 'import socket; socket.send_fds'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Descriptors that lead to the test's file or to a process. The peers' own channels come and go. */
const ofInterest = () =>
  readdirSync('/proc/self/fd').filter((number) => {
    try {
      return [file, 'anon_inode:[pidfd]'].includes(readlinkSync(`/proc/self/fd/${number}`));
    } catch {
      return false;
    }
  }).length;
/** Those and sockets: what a test here opens. Files that the runtime opens for a moment are not counted. */
const openCount = () =>
  readdirSync('/proc/self/fd').filter((number) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${number}`);
      return target === file || /^(socket|anon_inode):/.test(target);
    } catch {
      return false;
    }
  }).length;

function errorOf(action: () => unknown): PosixError {
  try {
    action();
  } catch (error) {
    if (error instanceof PosixError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

let folder = '';
let file = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpu-ipc-descriptors-'));
  file = join(folder, 'content');
  writeFileSync(file, 'what is in the file');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.runIf(onLinux)('descriptors in one process', () => {
  it('arrive as others of the same file, with the payload', async () => {
    const before = openCount();
    const listener = DescriptorListener.at(nameOf('one'));
    const sender = DescriptorChannel.connect(nameOf('one'));
    const receiver = await listener.next(1000);
    const sent = openSync(file, 'r');
    expect(receiver.receive()).toBeUndefined();
    expect(sender.send({ payload: bytesOf('hello'), descriptors: [sent, sent] })).toBe(true);
    const message = await receiver.next(1000);
    if (message === 'end') throw new Error('no message');
    expect(text(message.payload)).toBe('hello');
    expect(message.descriptors).toHaveLength(2);
    expect(new Set([sent, ...message.descriptors]).size).toBe(3);
    for (const descriptor of message.descriptors) expect(readFileSync(descriptor).length).toBeGreaterThanOrEqual(0);
    expect(receiver.peer()).toMatchObject({ pid: process.pid, uid: process.geteuid?.() });
    for (const descriptor of message.descriptors) closeDescriptor(descriptor);
    closeSync(sent);
    sender.close();
    sender.close();
    expect(receiver.receive()).toBe('end');
    receiver.close();
    listener.close();
    expect(openCount()).toBe(before);
  });

  it('travel as many as one message may have, and messages without any', async () => {
    const before = openCount();
    const listener = DescriptorListener.at(nameOf('many'));
    const sender = DescriptorChannel.connect(nameOf('many'));
    const receiver = await listener.next(1000);
    const sent = openSync(file, 'r');
    const many = Array.from({ length: MOST_DESCRIPTORS }, () => sent);
    sender.send({ payload: new Uint8Array(MOST_BYTES).fill(7), descriptors: many });
    sender.send({ payload: Uint8Array.of(1), descriptors: [] });
    const first = await receiver.next(1000);
    const second = await receiver.next(1000);
    if (first === 'end' || second === 'end') throw new Error('no message');
    expect(first.descriptors).toHaveLength(MOST_DESCRIPTORS);
    expect(first.payload).toEqual(new Uint8Array(MOST_BYTES).fill(7));
    expect(second).toEqual({ payload: Uint8Array.of(1), descriptors: [] });
    expect(() => sender.send({ payload: Uint8Array.of(1), descriptors: [...many, sent] })).toThrow(RangeError);
    expect(() => sender.send({ payload: new Uint8Array(0), descriptors: [] })).toThrow(RangeError);
    expect(() => sender.send({ payload: new Uint8Array(MOST_BYTES + 1), descriptors: [] })).toThrow(RangeError);
    expect(errorOf(() => sender.send({ payload: Uint8Array.of(1), descriptors: [99_999] })).message).toBe(
      'sendmsg failed: EBADF',
    );
    for (const descriptor of first.descriptors) closeDescriptor(descriptor);
    closeSync(sent);
    for (const end of [sender, receiver, listener]) end.close();
    expect(openCount()).toBe(before);
  });

  it('are closed by the kernel when nobody receives them, and ends are told apart', async () => {
    const before = openCount();
    const listener = DescriptorListener.at(nameOf('lost'));
    const sender = DescriptorChannel.connect(nameOf('lost'));
    const receiver = await listener.next(1000);
    const sent = openSync(file, 'r');
    sender.send({ payload: Uint8Array.of(1), descriptors: [sent] });
    closeSync(sent);
    receiver.close();
    expect(['EPIPE', 'ECONNRESET']).toContain(
      errorOf(() => sender.send({ payload: Uint8Array.of(1), descriptors: [] })).code,
    );
    sender.close();
    listener.close();
    expect(errorOf(() => sender.send({ payload: Uint8Array.of(1), descriptors: [] })).code).toBe('EBADF');
    expect(errorOf(() => DescriptorChannel.connect(nameOf('lost'))).code).toBe('ECONNREFUSED');
    await expect(DescriptorListener.at(nameOf('lost')).next(5)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    expect(errorOf(() => DescriptorListener.at(nameOf('lost'))).code).toBe('EADDRINUSE');
    // The listener that waited in vain is still open.
    expect(openCount()).toBe(before + 1);
  });

  it('say when the socket has no room', async () => {
    const listener = DescriptorListener.at(nameOf('full'));
    const sender = DescriptorChannel.connect(nameOf('full'));
    const message = { payload: new Uint8Array(MOST_BYTES), descriptors: [] };
    let sent = 0;
    while (sender.send(message)) sent += 1;
    expect(sent).toBeGreaterThan(0);
    sender.close();
    listener.close();
  });

  it('do not leak through thousands of messages', async () => {
    const listener = DescriptorListener.at(nameOf('thousands'));
    const sender = DescriptorChannel.connect(nameOf('thousands'));
    const receiver = await listener.next(1000);
    const sent = openSync(file, 'r');
    const before = openCount();
    for (let i = 0; i < 2000; i++) {
      sender.send({ payload: Uint8Array.of(i & 0xff), descriptors: [sent] });
      const message = receiver.receive();
      if (message === undefined || message === 'end') throw new Error('no message');
      for (const descriptor of message.descriptors) closeDescriptor(descriptor);
    }
    expect(openCount()).toBe(before);
    closeSync(sent);
    for (const end of [sender, receiver, listener]) end.close();
  });

  it('can be duplicated and asked for', () => {
    const one = openSync(file, 'r');
    const other = duplicate(one);
    expect(isOpen(other)).toBe(true);
    closeDescriptor(other);
    expect(isOpen(other)).toBe(false);
    expect(errorOf(() => closeDescriptor(other)).message).toBe('close failed: EBADF');
    expect(errorOf(() => duplicate(-1)).code).toBe('EBADF');
    closeSync(one);
  });
});

describe.runIf(onLinux)('descriptors between processes', () => {
  beforeAll(async () => {
    await buildNative();
    await bundle('peer');
  });
  afterEach(killPeers);

  it('travel from one to the other, and nothing else is left open in either', async () => {
    const [a, b] = [await Peer.start('A'), await Peer.start('B')];
    const name = nameOf('two');
    await b.must('listen', name);
    const beforeA = await a.must('openDescriptors');
    const beforeB = await b.must('openDescriptors');
    const sent = await a.must('openFile', file);
    await a.must('sendDescriptors', name, [sent], bytesOf('for B'));
    await a.must('closeDescriptor', sent);
    const { payload, descriptors } = await b.must('receiveDescriptors');
    expect(text(payload)).toBe('for B');
    const [received = -1] = descriptors;
    await a.kill();
    expect(text(await b.must('readFile', received))).toBe('what is in the file');
    await b.must('closeDescriptor', received);
    expect(await b.must('openDescriptors')).toEqual(beforeB);
    expect(beforeA.some((entry) => entry.includes(file))).toBe(false);
  });

  it('are refused without a listener, and the sender keeps nothing open', async () => {
    const a = await Peer.start('A');
    const sent = await a.must('openFile', file);
    const before = await a.must('openDescriptors');
    const refused = await a.call('sendDescriptors', nameOf('nobody'), [sent], Uint8Array.of(1));
    expect(refused).toMatchObject({ result: 'ERROR', detail: 'connect failed: ECONNREFUSED' });
    expect(await a.must('openDescriptors')).toEqual(before);
  });

  it('are copied out of a process that does not send them', async () => {
    const a = await Peer.start('A');
    const inside = await a.must('openFile', file);
    const copied = copyForeignDescriptor(a.pid, inside);
    expect(isOpen(copied)).toBe(true);
    expect(ofInterest()).toBe(1);
    await a.kill();
    expect(readFileSync(copied, 'utf8')).toBe('what is in the file');
    closeDescriptor(copied);
    expect(ofInterest()).toBe(0);
  });

  it('say why they are not copied', async () => {
    const a = await Peer.start('A');
    expect(errorOf(() => copyForeignDescriptor(a.pid, 99_999)).message).toBe('pidfd_getfd failed: EBADF');
    await a.kill();
    expect(errorOf(() => copyForeignDescriptor(a.pid, 0)).message).toBe('pidfd_open failed: ESRCH');
    expect(ofInterest()).toBe(0);
  });
});

/** The standard library of Python, as a stranger on the other side. */
const script = `
import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.connect('\\0' + sys.argv[1])
data, fds, flags, addr = socket.recv_fds(s, 100, 4)
r, w = os.pipe()
os.write(w, data + b': ' + os.pread(fds[0], 100, 0))
socket.send_fds(s, [b'from python'], [r])
`;

describe.runIf(hasPython)('descriptors between this library and another one', () => {
  it('are understood both ways', async () => {
    const listener = DescriptorListener.at(nameOf('python'));
    const child = spawn('python3', ['-c', script, nameOf('python')], { stdio: ['ignore', 'inherit', 'inherit'] });
    const ended = once(child, 'exit');
    const channel = await listener.next(10_000);
    expect(channel.peer().pid).toBe(child.pid);
    const sent = openSync(file, 'r');
    channel.send({ payload: bytesOf('it says'), descriptors: [sent] });
    const answer = await channel.next(10_000);
    if (answer === 'end') throw new Error('no answer');
    const [pipe = -1] = answer.descriptors;
    expect(text(answer.payload)).toBe('from python');
    expect(await ended).toEqual([0, null]);
    expect(readFileSync(pipe, 'utf8')).toBe('it says: what is in the file');
    closeDescriptor(pipe);
    closeSync(sent);
    channel.close();
    listener.close();
  });
});
