//! What is bound to the shader, and how it is run.

use std::array::from_fn;

use kiss3d::context::Context;
use kiss3d::resource::multisample_state;

/// kiss3d keeps materials by name.
pub(super) const NAME: &str = "matte";

/// Uniforms of which an offset says where they begin.
pub(super) fn uniforms(stages: wgpu::ShaderStages) -> (wgpu::BindingType, wgpu::ShaderStages) {
    let ty = wgpu::BufferBindingType::Uniform;
    (wgpu::BindingType::Buffer { ty, has_dynamic_offset: true, min_binding_size: None }, stages)
}

/// A layout of what is bound at 0, 1 and so on.
pub(super) fn layout(
    context: &Context,
    bound: &[(wgpu::BindingType, wgpu::ShaderStages)],
) -> wgpu::BindGroupLayout {
    let entries: Vec<_> = (0..)
        .zip(bound)
        .map(|(binding, &(ty, visibility))| wgpu::BindGroupLayoutEntry {
            binding,
            visibility,
            ty,
            count: None,
        })
        .collect();
    context
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(NAME), entries: &entries })
}

/// A group of one list of uniforms, each of a size [bytes].
pub(super) fn group(
    context: &Context,
    layout: &wgpu::BindGroupLayout,
    buffer: &wgpu::Buffer,
    size: u64,
) -> wgpu::BindGroup {
    let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
        buffer,
        offset: 0,
        size: std::num::NonZeroU64::new(size),
    });
    context.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(NAME),
        layout,
        entries: &[wgpu::BindGroupEntry { binding: 0, resource }],
    })
}

/// Draws triangles by a shader, `colored` by one of its functions.
pub(super) fn pipeline(
    layout: &wgpu::PipelineLayout,
    shader: &wgpu::ShaderModule,
    cull_mode: Option<wgpu::Face>,
    colored: &'static str,
    samples: u32,
) -> wgpu::RenderPipeline {
    let formats =
        [wgpu::VertexFormat::Float32x3, wgpu::VertexFormat::Float32x3, wgpu::VertexFormat::Float32x2];
    let attributes: [_; 3] =
        from_fn(|i| [wgpu::VertexAttribute { offset: 0, shader_location: i as u32, format: formats[i] }]);
    let buffers: [_; 3] = from_fn(|i| {
        Some(wgpu::VertexBufferLayout {
            array_stride: formats[i].size(),
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &attributes[i],
        })
    });
    let target = wgpu::ColorTargetState {
        format: Context::render_format(),
        blend: None,
        write_mask: wgpu::ColorWrites::ALL,
    };
    Context::get().create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(NAME),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module: shader,
            entry_point: Some("place"),
            buffers: &buffers,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
        },
        fragment: Some(wgpu::FragmentState {
            module: shader,
            entry_point: Some(colored),
            targets: &[Some(target)],
            compilation_options: wgpu::PipelineCompilationOptions::default(),
        }),
        primitive: wgpu::PrimitiveState { cull_mode, ..wgpu::PrimitiveState::default() },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: Context::depth_format(),
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Less),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: multisample_state(samples),
        multiview_mask: None,
        cache: None,
    })
}
