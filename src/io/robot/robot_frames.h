/* SPDX-License-Identifier: Apache-2.0 */
/* robot_frames.h -- frames from the numbers of robot files. */
#ifndef LWI_IO_ROBOT_ROBOT_FRAMES_H
#define LWI_IO_ROBOT_ROBOT_FRAMES_H
#include "model/joint/frame.h"

#include <stdbool.h>

/* Rz(yaw) Ry(pitch) Rx(roll) */
rot3 lwi_rot_rpy(const double rpy[3]);
/* about a unit vector */
rot3 lwi_rot_about(const double axis[3], double angle);
/* of a quaternion of any length but 0; false: it has none */
bool lwi_rot_quat(const double quat[4], rot3 *out);
/* Makes v a unit vector; false: it has no direction. */
bool lwi_normalise(double v[3]);

#endif
