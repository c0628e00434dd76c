/** Devices, contexts and the state of the driver: these rules answer when none of the area does, for most calls alike. */
import { isSticky } from '../results';
import type { Rule } from './rule';

export const contextRules: readonly Rule[] = [
  {
    results: [704],
    say: 'The current context can reach that peer already. Nothing is wrong.',
  },
  {
    calls: ['cuDeviceGet'],
    results: [101],
    say: 'There is no device with this number. CUDA_VISIBLE_DEVICES decides which ones this process sees.',
  },
  { results: [3], say: 'The driver is not initialised in this process. Call cuInit first.' },
  {
    results: [4],
    say: 'The driver is shutting down because the process ends.',
  },
  {
    results: [201],
    say: 'This thread has no current context. Make one current first (cuCtxSetCurrent); it belongs to one thread.',
  },
  {
    results: [46],
    say: 'The device is in exclusive-process or prohibited mode and another process has it, or a MIG or vGPU change is under way.',
  },
  {
    results: [100],
    say: 'The driver finds no GPU for this process. Look at nvidia-smi, at CUDA_VISIBLE_DEVICES, and in a container at its GPU devices.',
  },
  {
    results: [34],
    say: "The library that was found is the CUDA toolkit's stub for linking. Take its folder out of LD_LIBRARY_PATH.",
  },
  {
    results: [802],
    say: 'The system is not ready: on machines with NVSwitch the fabric manager has to run (nvidia-fabricmanager).',
  },
  {
    results: [803],
    say: 'The kernel module and libcuda have different versions. Reboot, or reload the NVIDIA modules, after a driver update.',
  },
  {
    results: [804],
    say: 'The CUDA compatibility libraries do not support this GPU. Take them out of the library path, or update the driver.',
  },
  {
    results: [805],
    say: 'The MPS control daemon or server does not answer. Start nvidia-cuda-mps-control -d, or unset CUDA_MPS_PIPE_DIRECTORY.',
  },
  { results: [806], say: 'The MPS server stopped answering. Restart nvidia-cuda-mps-control.' },
  { results: [807], say: 'The MPS server is starting or recovering from a fault of another client. Try again.' },
  { results: [808], say: 'The MPS server has as many clients as it can. End one of them.' },
  { results: [809], say: 'The MPS server has as many device connections as it can. End a client.' },
  { results: [810], say: 'The MPS server ended this client. Start the process again.' },
  {
    results: isSticky,
    say: 'The GPU context is lost: every further call of this process fails, and only a new process helps. What it shared goes with it.',
  },
  { results: [709], say: 'The context was destroyed. Restart this process.' },
  {
    results: [36],
    say: 'The installed driver is older than this call. Update the NVIDIA driver.',
  },
  { results: [800], say: 'The system does not permit this to this user or container.' },
  { results: [801], say: 'This device or platform cannot do this.' },
  {
    calls: ['cuInit'],
    results: [304, 999],
    say: 'The driver could not start. Often the module nvidia-uvm is not loaded or /dev/nvidia-uvm is missing: try nvidia-modprobe -u -c=0.',
  },
];
