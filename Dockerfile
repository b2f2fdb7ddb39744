# All kernels are compiled in the image, beside the package, and any user reads them. The root may be read-only.
#   docker build -t arrangements .
#   docker run --rm --read-only --volume "$PWD:/data:ro" arrangements count normals.txt
# Kernels are those of the processor that builds. For an image that others with AVX2 use too, add here
#   ENV NUMBA_CPU_NAME=x86-64-v3 NUMBA_CPU_FEATURES=+fma
FROM python:3.13-slim
COPY . /source
RUN pip install --no-cache-dir /source && rm -r /source && arrangements compile
USER 1000:1000
WORKDIR /data
ENTRYPOINT ["arrangements"]
