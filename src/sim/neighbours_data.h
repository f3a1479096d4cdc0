/* SPDX-License-Identifier: Apache-2.0 */
/* neighbours_data.h -- what neighbours are: made and asked in neighbours.c; their way through events in
   neighbours_events.c. */
#ifndef LWI_SIM_NEIGHBOURS_DATA_H
#define LWI_SIM_NEIGHBOURS_DATA_H
#include "sim/neighbours.h"
#include "sim/simulation_data.h"

enum { N = LWI_NEIGHBOURS };
extern const double lwi_neighbour_place[N], lwi_neighbour_weight[N]; /* of the difference formula */

/* an event that neighbours have gone through */
typedef struct {
  double t, when1;
  int n, *number;    /* [n] */
  int ny;            /* numbers in y then */
  double *y, *along; /* [ny] just before, and d/dp moving with the event */
} lwi_passed;

typedef struct {
  lwi_variation base;
  const lw_model *m;
  lw_simulation_options options;
  double h;
  lw_model *model[N];
  lw_simulation *sim[N];
  lw_columns *columns[LWI_VARIATION_SETS][N];
  char *patterns[LWI_VARIATION_SETS];
  double *parameters; /* [nparameter] */
  int capacity, nrow;
  double *y[N], *f[N]; /* [capacity] */
  double *row;         /* [nrow] */
  int npassed, passed_capacity;
  lwi_passed *events; /* [npassed] */
} lwi_neighbours;

/* numbers in y of each */
static inline int lwi_neighbours_size(const lwi_neighbours *v)
{
  return v->sim[0]->system->n;
}
/* Room for n numbers of each; false: out of memory. */
bool lwi_neighbours_room(lwi_neighbours *v, int n);
/* v->y[i] = y + place[i] h y1 */
void lwi_neighbours_shift(lwi_neighbours *v, const double y[], const double y1[], int n);
/* x1 from the x of all */
void lwi_neighbours_gather(const lwi_neighbours *v, double *const x[N], int n, double x1[]);

/* ---- neighbours_events.c ---- */

/* An event that was passed before, again: for neighbours that take the place of others. */
lw_status lwi_neighbours_pass(lwi_neighbours *v, const lwi_passed *e, lw_error *err);
/* As of lwi_variation. */
lw_status lwi_neighbours_when(lwi_variation *base, const lwi_crossing *x, const double y1[],
                              double *when1, lw_error *err);
lw_status lwi_neighbours_jump(lwi_variation *base, const lwi_crossing *x, const double y1[],
                              double when1, lw_error *err);
lw_status lwi_neighbours_land(lwi_variation *base, double t, const double y[], double y1[]);

#endif
