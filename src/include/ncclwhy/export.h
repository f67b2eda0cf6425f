/* NCCLWHY_EXPORT marks what a shared libncclwhy exports; NCCLWHY_HIDDEN what it keeps though it is part of something
 * that is exported. */
#ifndef NCCLWHY_EXPORT_H_
#define NCCLWHY_EXPORT_H_

#if defined(_WIN32)
#if defined(NCCLWHY_BUILDING_SHARED)
#define NCCLWHY_EXPORT __declspec(dllexport)
#elif defined(NCCLWHY_SHARED)
#define NCCLWHY_EXPORT __declspec(dllimport)
#else
#define NCCLWHY_EXPORT
#endif
#define NCCLWHY_HIDDEN
#else
#define NCCLWHY_EXPORT __attribute__((visibility("default")))
#define NCCLWHY_HIDDEN __attribute__((visibility("hidden")))
#endif

#endif /* NCCLWHY_EXPORT_H_ */
