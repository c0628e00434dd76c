/*
 * The set of live stream and event objects, so that a caller's pointer is checked before it is followed. Addresses of
 * objects that are gone are remembered until they are used again: the driver's answer for those is another one.
 */
#ifndef GPU_IPC_SIM_OBJECTS_H
#define GPU_IPC_SIM_OBJECTS_H

#include "sim.h"

typedef enum { SIM_OBJECT_STREAM = 1, SIM_OBJECT_EVENT = 2, SIM_OBJECT_GONE = 3 } sim_object_kind;

/** All calls hold sim_lock. Objects come from malloc, so their low address bits are free. */
bool sim_object_add(const void *object, sim_object_kind kind);
void sim_object_remove(const void *object, sim_object_kind kind);
/** Whether a caller's pointer is a live object of this kind; false for NULL and for anything else. */
bool sim_object_known(const void *object, sim_object_kind kind);
/** Whether a caller's pointer is, or was, an object of any kind. */
bool sim_object_ever(const void *object);

#endif
