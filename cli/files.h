/* SPDX-License-Identifier: Apache-2.0 */
/* files.h -- the files that a verb is asked to write. */
#ifndef CLI_FILES_H
#define CLI_FILES_H
#include "args.h"

/* Can the file that option names be written in the format "CSV" or "SVG"?  Not one whose name says another
   format, nor the model itself, nor one that gets something else already.  CLI_DONE if the option is
   absent. */
int check_file(const cli_args *a, const char *option, const char *format);
/* Are both options given, with the same file? */
int check_two_files(const cli_args *a, const char *option, const char *other);
/* Does the file go to stdout, where then nothing else is printed? */
bool is_stdout(const char *path);

/* From here on SIGINT, SIGTERM and SIGHUP are noted, so that what was computed can be kept; a second one, or ten seconds
   in which nobody has looked, end the program at once. */
void interrupts_catch(void);
bool interrupts_came(void);
/* Ends the program by the signal that came, so that shells know: 130, 143, 129. */
void interrupts_pass_on(void);

#endif
