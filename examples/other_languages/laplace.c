/* A noisy mean in C, without any library: the whole protocol of docs/other_languages.md in one file.
 *
 *   cc -O2 -o laplace laplace.c -lm
 *   mlaudit run "cmd: ./laplace" --epsilon 1 --data worst
 *
 * mlaudit always writes the keys of a message in the order of the manual, and no spaces. So the few values that
 * are needed can be found by their keys. The noise is that of a mean over a public number of rows. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 8

static double sums[SLOTS];
static long sizes[SLOTS];

/* The text behind "key": in a message, or NULL. */
static char *find(char *message, const char *key) {
    char wanted[32];
    snprintf(wanted, sizeof wanted, "\"%s\":", key);
    char *at = strstr(message, wanted);
    return at ? at + strlen(wanted) : NULL;
}

/* Adds up the first column. NaN and infinities come as texts, which strtod reads behind the quotation mark. */
static void read_data(char *message) {
    long slot = strtol(find(message, "slot"), NULL, 10);
    long rows = strtol(find(message, "rows"), NULL, 10), columns = strtol(find(message, "columns"), NULL, 10);
    char *at = find(message, "X");
    sizes[slot] = rows;
    sums[slot] = 0.0;
    for (long i = 0; i < rows * columns; i++) {
        at += strspn(at, "[],\"");
        double value = strtod(at, &at);
        if (i % columns == 0) sums[slot] += value;
    }
}

/* splitmix64 of both halves of a seed. */
static double uniform(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static void draw(char *message, double epsilon) {
    long slot = strtol(find(message, "slot"), NULL, 10), count = strtol(find(message, "count"), NULL, 10);
    char *at = find(message, "seeds");
    for (long i = 0; i < count; i++) {
        char half[17] = {0};
        at = strchr(at, '"') + 1;
        memcpy(half, at, 16);
        uint64_t state = strtoull(half, NULL, 16);
        memcpy(half, at + 16, 16);
        state ^= strtoull(half, NULL, 16) * 0x9e3779b97f4a7c15u;
        at = strchr(at, '"') + 1;
        double u = uniform(&state) - 0.5;
        double noise = -copysign(log(1 - 2 * fabs(u)), u) / (epsilon * (double)sizes[slot]);
        printf("{\"output\":%.17g}\n", sums[slot] / (double)sizes[slot] + noise);
    }
    puts("{\"type\":\"done\"}");
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    double epsilon = 1.0;
    while (getline(&line, &room, stdin) > 0) {
        char *type = find(line, "type");
        if (strncmp(type, "\"hello\"", 7) == 0) {
            epsilon = strtod(find(line, "epsilon"), NULL);
            puts("{\"type\":\"hello\",\"protocol\":1,\"name\":\"laplace.c\",\"version\":\"1.0\",\"bounds\":[0,1]}");
        } else if (strncmp(type, "\"data\"", 6) == 0) {
            read_data(line);
        } else {
            draw(line, epsilon);
        }
        fflush(stdout); /* after every request: mlaudit waits for the answers */
    }
    free(line);
    return 0;
}
