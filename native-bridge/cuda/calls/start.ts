/** Initialisation and version. */
import { declare } from '../declare';

export const start = {
  /** cuInit; once for each process, before anything but cuDriverGetVersion. Calling it again does no harm. */
  init: declare('cuInit(unsigned int Flags)', (call) => (): void => {
    call(0);
  }),

  /** The CUDA version the driver supports as 1000 × major + 10 × minor: 13000. Works before cuInit. */
  driverGetVersion: declare('cuDriverGetVersion(_Out_ int *driverVersion)', (call) => {
    const version = new Int32Array(1);
    return (): number => {
      call(version);
      return version[0] ?? 0;
    };
  }),
};
