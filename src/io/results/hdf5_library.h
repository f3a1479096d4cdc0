/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_library.h -- HDF5, loaded when it is first needed: its library brings others that take
   longer to load than most runs last (docs/decisions/020).  Functions and variables have the names
   of the C interface, without its macros:

     const lwi_hdf5 *h = lwi_hdf5_load();
     if (!h) return LW_E_MEMORY;
     h->H5Dclose(set);  *h->H5T_NATIVE_DOUBLE_g */
#ifndef LWI_IO_RESULTS_HDF5_LIBRARY_H
#define LWI_IO_RESULTS_HDF5_LIBRARY_H
#include <hdf5.h>
#include <stdbool.h>

/* Constants of the header open the library by these, which is not linked. */
#undef H5CHECK
#undef H5OPEN
#define H5CHECK
#define H5OPEN

/* clang-format off */
#define LWI_HDF5_FUNCTIONS(X) \
  X(H5open) X(H5Eset_auto2) X(H5Ewalk2) X(H5Eclear2) \
  X(H5Fcreate) X(H5Fopen) X(H5Fclose) X(H5Fflush) X(H5Fget_eoa) X(H5Fstart_swmr_write) \
  X(H5Gcreate2) X(H5Gclose) X(H5Gopen2) X(H5Lexists) \
  X(H5Pcreate) X(H5Pclose) X(H5Pset) X(H5Pset_chunk) X(H5Pset_deflate) X(H5Pset_shuffle) X(H5Pset_libver_bounds) \
  X(H5Pset_chunk_cache) X(H5Pset_fclose_degree) X(H5Pset_metadata_read_attempts) \
  X(H5Screate) X(H5Screate_simple) X(H5Sclose) X(H5Sget_simple_extent_dims) X(H5Sget_simple_extent_ndims) \
  X(H5Sselect_hyperslab) \
  X(H5Tcopy) X(H5Tcreate) X(H5Tclose) X(H5Tinsert) X(H5Tset_size) X(H5Tset_cset) X(H5Tget_size) X(H5Tget_class) \
  X(H5Tset_strpad) X(H5Tarray_create2) \
  X(H5Dcreate2) X(H5Dopen2) X(H5Dclose) X(H5Dwrite) X(H5Dread) X(H5Dwrite_chunk) X(H5Dset_extent) X(H5Dget_space) \
  X(H5Dget_type) X(H5Dflush) X(H5Drefresh) \
  X(H5Acreate2) X(H5Awrite) X(H5Aread) X(H5Aclose) X(H5Aopen_by_idx) X(H5Aopen) X(H5Aget_name) X(H5Aget_type) \
  X(H5Aget_num_attrs) X(H5Aget_space)
#define LWI_HDF5_VARIABLES(X) \
  X(H5T_NATIVE_DOUBLE_g) X(H5T_NATIVE_INT64_g) X(H5T_NATIVE_INT32_g) X(H5T_NATIVE_UINT8_g) X(H5T_C_S1_g) \
  X(H5P_CLS_FILE_ACCESS_ID_g) X(H5P_CLS_DATASET_CREATE_ID_g) X(H5P_CLS_DATASET_ACCESS_ID_g)
/* clang-format on */

#define LWI_HDF5_FUNCTION(name) __typeof__(name) *name;
#define LWI_HDF5_VARIABLE(name) hid_t *name;
typedef struct {
  LWI_HDF5_FUNCTIONS(LWI_HDF5_FUNCTION)
  LWI_HDF5_VARIABLES(LWI_HDF5_VARIABLE)
} lwi_hdf5;
#undef LWI_HDF5_FUNCTION
#undef LWI_HDF5_VARIABLE

/* NULL: it cannot be loaded.  Any number of threads may ask; calls of the library itself come from
   one at a time. */
const lwi_hdf5 *lwi_hdf5_load(void);
/* Why: a sentence. */
const char *lwi_hdf5_problem(void);

/* The library does not survive a failed allocation of its own: it dies, or takes the file for a
   damaged one.  Before it opens, reads or writes something this checks that there is enough memory,
   by a block that is freed again.  false: there is not. */
bool lwi_hdf5_reserve(void);

/* The reason of the system in the last failure of the library, as errno; 0: none was given. */
int lwi_hdf5_reason(const lwi_hdf5 *h);

#endif
