/* time(0) as the program sets it: dp-xgboost seeds its noise with whole seconds. Loaded with LD_PRELOAD. */
#include <time.h>
static time_t now;
void set_clock(long seconds) { now = (time_t)seconds; }
time_t time(time_t *out) { if (out) *out = now; return now; }
