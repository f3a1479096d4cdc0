/* SPDX-License-Identifier: Apache-2.0 */
/* export.h -- LW_API marks what the libraries export; everything else is hidden. */
#ifndef LINKWORK_EXPORT_H
#define LINKWORK_EXPORT_H
#if defined(__GNUC__)
#define LW_API __attribute__((visibility("default")))
#else
#define LW_API
#endif
#endif
