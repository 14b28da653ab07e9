# What: functions of the C library called, one that calls back, and an error number
# Package: python3
# Expect: sorted [1, 2, 5, 9]
cat > c.py <<'P'
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
a = (ctypes.c_int * 4)(5, 9, 1, 2)
CMP = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
libc.qsort(a, 4, 4, CMP(lambda x, y: x[0] - y[0]))
print('sorted', list(a))
print(libc.close(99), ctypes.get_errno())
libm = ctypes.CDLL('libm.so.6'); libm.cos.restype = ctypes.c_double; libm.cos.argtypes = [ctypes.c_double]
print(libm.cos(0.0))
P
python3 c.py; rm c.py
