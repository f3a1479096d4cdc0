/* SPDX-License-Identifier: Apache-2.0 */
/* files.h -- output files of a verb. */
#ifndef CLI_FILES_H
#define CLI_FILES_H
#include "args.h"

#include <signal.h>

/* Can the file that an option names be written in the format "CSV", "SVG", or "RESULTS": HDF5, CSV
   or JSON lines by its extension?  Not if its extension
   implies another format, if it is the model itself, or if something else is written to it. Returns
   CLI_DONE if the option is absent. */
int check_file(const cli_args *a, const char *option, const char *format);
/* Are both options given, with the same file? */
int check_two_files(const cli_args *a, const char *option, const char *other);
/* Does the file go to stdout, where then nothing else is printed? */
bool is_stdout(const char *path);

/* From here on SIGINT, SIGTERM and SIGHUP are recorded, so that results can be saved; a second
   signal, or ten seconds without a check, end the program at once. */
void interrupts_catch(void);
bool interrupts_came(void);
const volatile sig_atomic_t *interrupts_flag(void); /* nonzero: one came */
/* Ends the program by the recorded signal, so that shells see it: 130, 143, 129. */
void interrupts_pass_on(void);

/* A name for a file that belongs to a model and does not exist yet, in the present folder: "models/crane.yaml" with ".h5" is
   "crane.h5", or "crane-2.h5", ...  To be freed; NULL: no memory. */
char *unused_path(const char *model, const char *ending);

/* Is it a file of HDF5, by its name? */
bool names_hdf5(const char *path);

#endif
