# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=... -DARGUMENT=... -DOUTPUT=... -DFILE=... -P CompareOutput.cmake: does the program write the file?
execute_process(COMMAND ${PROGRAM} ${ARGUMENT} OUTPUT_FILE ${OUTPUT} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${PROGRAM} ${ARGUMENT}: ${failed}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${OUTPUT} ${FILE} RESULT_VARIABLE differs)
if(differs)
  message(FATAL_ERROR "${FILE} is not what ${PROGRAM} ${ARGUMENT} writes")
endif()
