/* Access between devices. Every simulated device can reach every other one. */
#include "blocks.h"
#include "contexts.h"
#include "devices.h"

CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev) {
  SIM_ENTER(cuDeviceCanAccessPeer);
  if (!canAccessPeer) return CUDA_ERROR_INVALID_VALUE;
  if (sim_device_physical(dev) < 0 || sim_device_physical(peerDev) < 0) return CUDA_ERROR_INVALID_DEVICE;
  *canAccessPeer = dev != peerDev;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice, CUdevice dstDevice) {
  SIM_ENTER(cuDeviceGetP2PAttribute);
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  if (sim_device_physical(srcDevice) < 0 || sim_device_physical(dstDevice) < 0 || srcDevice == dstDevice) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  switch (attrib) {
    case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
    case CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED:
      *value = 0;
      return CUDA_SUCCESS;
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
      *value = 1;
      return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

/* The peer's device as a bit, after the checks that both calls share. */
static CUresult peer_bit(CUcontext peer, uint32_t *bit) {
  if (!sim_context_known(peer)) return CUDA_ERROR_INVALID_CONTEXT;
  if (!peer->alive) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  *bit = 1u << sim_device_physical(peer->device);
  return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
  SIM_ENTER_CONTEXT(cuCtxEnablePeerAccess);
  if (Flags != 0) return CUDA_ERROR_INVALID_VALUE;
  sim_lock_take();
  uint32_t bit;
  CUresult result = peer_bit(peerContext, &bit);
  if (result == CUDA_SUCCESS && peerContext->device == context->device) result = CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  if (result == CUDA_SUCCESS && (context->peers & bit)) result = CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  if (result == CUDA_SUCCESS) context->peers |= bit;
  sim_lock_drop();
  return result;
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext) {
  SIM_ENTER_CONTEXT(cuCtxDisablePeerAccess);
  sim_lock_take();
  uint32_t bit;
  CUresult result = peer_bit(peerContext, &bit);
  if (result == CUDA_SUCCESS && !(context->peers & bit)) result = CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  if (result == CUDA_SUCCESS) context->peers &= ~bit;
  sim_lock_drop();
  return result;
}
