/* What coreutils' tests ask of their helper of the same name: limits of types, and the first numbers beyond. */
#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

/* One more than the absolute value has, with its sign. */
static void beyond(const char *name, const char *what, const char *sign, uintmax_t absolute) {
    char digits[] = "000000000000000000000000";
    char *last = digits + sizeof digits - 2, *first = digits;
    for (char *digit = last; absolute; absolute /= 10)
        *digit-- = '0' + absolute % 10;
    while (*last == '9')
        *last-- = '0';
    ++*last;
    while (*first == '0')
        first++;
    printf("%s_%s=%s%s\n", name, what, sign, first);
}

static void limits(const char *name, intmax_t least, uintmax_t most) {
    printf("%s_MAX=%ju\n", name, most);
    beyond(name, "OFLOW", "", most);
    if (least) {
        printf("%s_MIN=%jd\n", name, least);
        beyond(name, "UFLOW", "-", -(uintmax_t)least);
    }
}

int main(void) {
    limits("CHAR", CHAR_MIN, CHAR_MAX);
    limits("UCHAR", 0, UCHAR_MAX);
    limits("SHRT", SHRT_MIN, SHRT_MAX);
    limits("INT", INT_MIN, INT_MAX);
    limits("UINT", 0, UINT_MAX);
    limits("LONG", LONG_MIN, LONG_MAX);
    limits("ULONG", 0, ULONG_MAX);
    limits("SIZE", 0, SIZE_MAX);
    limits("SSIZE", LONG_MIN, SSIZE_MAX);
    limits("TIME_T", LONG_MIN, LONG_MAX);
    limits("UID_T", 0, UINT_MAX);
    limits("GID_T", 0, UINT_MAX);
    limits("PID_T", INT_MIN, INT_MAX);
    limits("OFF_T", LONG_MIN, LONG_MAX);
    limits("INTMAX", INTMAX_MIN, INTMAX_MAX);
    limits("UINTMAX", 0, UINTMAX_MAX);
    printf("FLT_MIN=%.9g\nFLT_MAX=%.9g\n", FLT_MIN, FLT_MAX);
    printf("DBL_MIN=%.17g\nDBL_MAX=%.17g\n", DBL_MIN, DBL_MAX);
    printf("LDBL_MIN=%.*Lg\nLDBL_MAX=%.*Lg\n", LDBL_DECIMAL_DIG, LDBL_MIN, LDBL_DECIMAL_DIG, LDBL_MAX);
    return 0;
}
