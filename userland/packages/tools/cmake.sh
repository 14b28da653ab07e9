# What: a project configured, built and tested
# Package: cmake
# Expect: 100% tests passed
cat > CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.18)
project(p C)
enable_testing()
add_library(l STATIC l.c)
add_executable(m m.c)
target_link_libraries(m l)
add_test(t m)
C
echo 'int f(int x) { return x * 2; }' > l.c
echo 'int f(int); int main(void) { return f(21) != 42; }' > m.c
cmake -S . -B build > log 2>&1; echo configured $?
cmake --build build -j 2 >> log 2>&1; echo built $?
cd build && ctest | grep passed; cd ..
rm -rf build log
